import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.apache.hadoop.conf.Configuration;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import java.net.InetSocketAddress;

/** Iceberg's own REST catalog over an SQLite file, on this machine's loopback alone; prints its port. */
public class RestCatalog {
  public static void main(String[] words) throws Exception {
    Map<String, String> options = new HashMap<>();
    options.put(CatalogProperties.URI, "jdbc:sqlite:" + words[0] + "/rest.db");
    options.put(CatalogProperties.WAREHOUSE_LOCATION, "file://" + words[0] + "/warehouse");
    options.put("jdbc.schema-version", "V1");
    JdbcCatalog catalog = new JdbcCatalog();
    catalog.setConf(new Configuration());
    catalog.initialize("rest", options);
    ServletContextHandler context = new ServletContextHandler();
    context.addServlet(new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
    Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
    server.setHandler(context);
    server.start();
    System.out.println("port " + server.getURI().getPort());
    System.out.flush();
    server.join();
  }
}
